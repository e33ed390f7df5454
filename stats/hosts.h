/* Hosts: several machines that measured the same, as one answer. Every machine is one draw: how often it
 * repeated itself says nothing about the next one. */
#ifndef LAUKA_STATS_HOSTS_H
#define LAUKA_STATS_HOSTS_H

#include "stats/stats.h"

enum { LAUKA_FEWEST_HOSTS = 3 }; /* that make an interval */

/* The unweighted mean of the hosts' estimates, with Student's interval over them: it holds for hosts of any
 * noise and bias of their own (Ibragimov & Müller 2010, "t-statistic based correlation and heterogeneity robust
 * inference", JBES 28). Hosts without an interval of their own have no say. Replaces estimate, interval and
 * verdict of *pooled, whose counts and means stay as they are. Of fewer hosts there is the mean alone. */
void lauka_hosts_pool(const struct lauka_comparison *const *hosts, size_t count, double alpha,
                      double precision, struct lauka_comparison *pooled);

/* A gate's verdict over hosts: what two thirds of them say (of two: both), and none says the opposite of. */
enum lauka_gate lauka_hosts_vote(size_t hosts, size_t failed, size_t passed);

#endif
