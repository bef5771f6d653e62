# Makes Postgres 15 take what pg_dumpall of Postgres 18 writes: docs/guides/postgres.md says how. For sed -E -f.
# The superuser there has a password of its own.
/^(CREATE|ALTER) ROLE postgres[ ;]/d
# Settings that 15 does not know.
/^ALTER ROLE .* SET createrole_self_grant /d
/^SET transaction_timeout /d
# New databases have the locale of that server.
s/^(CREATE DATABASE .*) LOCALE_PROVIDER .*/\1;/
# Options of memberships that 15 does not know; one role there may act as the roles that it creates.
s/^(GRANT [^ ]+ TO [^ ]+) WITH .*/\1;/
