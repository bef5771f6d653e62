-- A bare asset code may mean assets of several issuers: a quote tells whose it is for.
alter table quotes add column issuer text;
