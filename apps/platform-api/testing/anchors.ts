import { createHash } from 'node:crypto'
import { storedSecret } from '../anchors/proof-keys.ts'
import { newAnchorId, newId } from '../ids.ts'
import { createOrganization } from '../operators/organizations.ts'
import type { TestApp } from './app.ts'

/** An active anchor of an organization that the operator owns, and the secret it sends in x-service-secret. */
export async function activeAnchor(app: TestApp, ownerId: string, subdomain: string) {
  const { db } = app.database
  const now = app.clock.now()
  const applicationId = newId('app')
  const empty = JSON.stringify({})
  const application = {
    id: applicationId,
    status: 'approved' as const,
    company_profile: JSON.stringify({ name: subdomain, businessEmail: 'x@y.example' }),
    stellar_config: empty,
    payment_rails: empty,
    compliance: empty,
    credentials: null,
    created_at: now,
    reviewed_at: now,
    reviewed_by: 'admin',
    reason: null,
  }
  await db.insertInto('applications').values(application).execute()
  const organizationId = await createOrganization(db, { name: subdomain, slug: subdomain, ownerId }, now)
  const id = newAnchorId()
  const secret = `${subdomain}-secret`.padEnd(40, 'z')
  const homeDomain = `${subdomain}.anchors.localhost`
  const plan = {
    anchorId: id,
    organizationName: subdomain,
    businessEmail: 'x@y.example',
    subdomain,
    homeDomain,
    asset: { code: 'TEST', name: 'Test', anchoredTo: 'USD', issued: '1000000' },
    rails: ['UPI'],
    regions: ['IN'],
    settlement: 'instant',
    fees: { fixed: '0.5', percentage: '0.005' },
    limits: { min: '1', max: '1000000' },
  }
  await db
    .insertInto('anchors')
    .values({
      id,
      organization_id: organizationId,
      application_id: applicationId,
      subdomain,
      home_domain: homeDomain,
      status: 'active',
      plan: JSON.stringify(plan),
      reason: null,
      issuer: null,
      distribution: null,
      signing_key: null,
      api_url: null,
      treasury_capacity: null,
      summary_secret: null,
      ...storedSecret(app.deps.sealer, id, createHash('sha256').update(secret).digest()),
      created_at: now,
      activated_at: now,
    })
    .execute()
  return { id, organizationId, secret, client: app.client({ 'x-service-secret': secret }) }
}
