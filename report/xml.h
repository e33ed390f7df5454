/* Text in XML and HTML; of no interest outside of this folder. */
#ifndef LAUKA_REPORT_XML_H
#define LAUKA_REPORT_XML_H

#include <stddef.h>
#include <stdio.h>

/* Writes the first character of safe text, which is not empty, so that it is itself between tags and
 * in quoted attributes. Returns how many bytes it has. */
size_t lauka_xml_put(const char *text, FILE *out);

/* The same for a whole text of others, which is made safe. */
void lauka_xml_text(const char *text, FILE *out);

/* The same, of several lines. */
void lauka_xml_lines(const char *text, FILE *out);

#endif
