-- How a provider and the anchor prove themselves to each other beyond the provider's host: TLS with certificates of clients.
alter table travel_providers
  -- SHA-256 of each certificate that counts as theirs; none: their host alone proves them.
  add column client_certificates text[] not null default '{}',
  -- Who signs the certificate of their server, as PEM; null: public authorities.
  add column authority text,
  -- The anchor's own certificate and key towards them, under DETAILS_KEY.
  add column sealed_identity bytea;
