-- What is listed in pages: a cursor holds milliseconds, so these times hold no more, or a page could leave rows out.
alter table customers alter column created_at type timestamptz(3);
alter table firm_rates alter column created_at type timestamptz(3);
alter table transfers alter column created_at type timestamptz(3);
alter table webhook_deliveries alter column created_at type timestamptz(3);
