-- Of an earlier version's message queue; the journal alone says what is due.
drop schema if exists pgboss cascade;
