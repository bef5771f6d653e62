-- An organization with its owner, an active anchor, and one whose provisioning failed.
insert into users (id, email, full_name, created_at) values ('usr_1', 'asha@mumbai.example', 'Asha Rao', now());
insert into organizations (id, name, slug, created_at) values ('org_1', 'Mumbai Pay', 'mumbai-pay', now());
insert into memberships (organization_id, user_id, role, created_at) values ('org_1', 'usr_1', 'owner', now());
insert into applications (id, status, company_profile, stellar_config, payment_rails, compliance, created_at) values
  ('app_1', 'approved', '{}', '{}', '{}', '{}', now()), ('app_2', 'applied', '{}', '{}', '{}', '{}', now());
insert into invitations (id, application_id, token_hash, created_at, created_by, expires_at, used_at) values
  ('inv_1', 'app_1', '\x01', now(), 'admin', now(), now());
insert into anchors (id, organization_id, application_id, subdomain, home_domain, status, plan, created_at) values
  ('anc_1', 'org_1', 'app_1', 'mumbai', 'mumbai.anchors.localhost', 'active', '{}', now()),
  ('anc_2', 'org_1', 'app_1', 'pune', 'pune.anchors.localhost', 'error', '{}', now());
insert into jobs (id, anchor_id, status, snapshot, created_at) values
  ('job_1', 'anc_1', 'completed', '{}', now()), ('job_2', 'anc_2', 'failed', '{}', now());
