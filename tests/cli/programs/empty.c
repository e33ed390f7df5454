/* Costs as little as a process can. */
int main(void)
{
    return 0;
}
