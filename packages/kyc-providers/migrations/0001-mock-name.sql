-- The name on the document that is played; null: the provider says none.
alter table mock_kyc_sessions add column full_name text;
