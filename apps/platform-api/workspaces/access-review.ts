import { mayCall, seesCompliance } from '@windlass/contracts/access.ts'
import type { AccessReview } from '@windlass/contracts/platform/access-review.ts'
import { areas } from '@windlass/contracts/realm.ts'
import { requireMember } from '../anchors/access.ts'
import { keysInForce } from '../api-keys/manage.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { membersOf } from '../operators/members.ts'
import { organizationNames } from '../operators/organizations.ts'
import { hasSecondFactor } from '../second-factors/factors.ts'
import { lastSignIns } from '../sessions/sessions.ts'

/** Who can do what at an anchor. That someone looked is part of the evidence. */
export async function reviewAccess(
  { database: { db }, clock }: Deps,
  userId: string,
  anchorId: string,
): Promise<AccessReview> {
  const now = clock.now()
  const { anchor } = await requireMember(db, userId, anchorId)
  const members = await membersOf(db, userId, anchor.organization_id)
  const signIns = await lastSignIns(db, 'operator')
  const people: AccessReview['people'] = []
  for (const member of members)
    people.push({
      ...member,
      actsIn: areas.filter(area => mayCall(member.role, { method: 'POST', who: 'admin', area })),
      seesCompliance: seesCompliance(member.role),
      lastSignInAt: signIns.get(member.userId)?.toISOString() ?? null,
      hasSecondFactor: await hasSecondFactor(db, {
        ...{ realm: 'operator', subject: member.userId, email: member.email },
      }),
    })
  const emails = new Map(members.map(({ userId: id, email }) => [id, email]))
  const keys = (await keysInForce(db, anchorId, now)).map(({ createdBy, ...key }) => ({
    ...key,
    createdBy: `operator:${createdBy}`,
    creator: emails.get(createdBy) ?? null,
  }))
  const names = await organizationNames(db, [anchor.organization_id])
  const review = {
    at: now.toISOString(),
    organization: names.get(anchor.organization_id) ?? '',
    anchor: anchor.home_domain,
    ...{ people, keys },
  }
  await db.transaction().execute(tx =>
    record(
      tx,
      {
        ...{ actor: `operator:${userId}`, action: 'access.reviewed', subject: `anchor:${anchorId}` },
        details: { people: people.length, keys: keys.length },
      },
      now,
    ),
  )
  return review
}
