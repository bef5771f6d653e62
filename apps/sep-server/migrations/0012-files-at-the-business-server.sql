-- Files go to the business server as they come; what is kept here is whose they are. `size` is 0 while one is coming.
-- `sealed` has those that an earlier release kept until a `PUT /customer` names them.
drop index customer_files_expiry;
create index customer_files_expiry on customer_files (expires_at) where customer_id is null;
