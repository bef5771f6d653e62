import { Ivms101, type Person } from '@windlass/contracts/anchor/ivms101.ts'
import type { TravelRuleFact, TravelRuleRecord } from '@windlass/contracts/anchor/travel-rule.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { Check } from 'typebox/value'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { IsHeld } from '../../people/retention/rules.ts'
import type { Tables } from '../../tables.ts'
import { faultsOf } from './constraints.ts'
import { unknownPerson } from './document.ts'

const contextOf = (transferId: string) => `travel-rule:${transferId}`

export const sealedRecords = sealedColumn({
  ...{ table: 'travel_rule_records', column: 'sealed', key: ['transfer_id'] },
  contextOf: ({ transfer_id }) => contextOf(transfer_id),
})

/** A document, and how what it says is known. */
interface Kept {
  document: Ivms101
  facts: TravelRuleFact[]
}

/** Keeps a document with its transfer, once. Throws for one that IVMS101 does not allow. */
export async function addRecord(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  transferId: string,
  { document, facts }: Kept,
  now: Date,
): Promise<void> {
  requireValid(document, now)
  await tx
    .insertInto('travel_rule_records')
    .values({
      transfer_id: transferId,
      sealed: sealer.seal(JSON.stringify(document), contextOf(transferId)),
      facts: JSON.stringify(facts),
      at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

function requireValid(document: Ivms101, now: Date): void {
  if (!Check(Ivms101, document)) throw new Error('the document is not of the form of IVMS101')
  const faults = faultsOf(document, now.toISOString().slice(0, 10))
  if (faults.length > 0) throw new Error(`the document does not hold to IVMS101: ${faults.join(', ')}`)
}

export async function removeRecord(tx: Db<Tables>, transferId: string): Promise<void> {
  await tx.deleteFrom('travel_rule_records').where('transfer_id', '=', transferId).execute()
}

export async function hasRecord(db: Db<Tables>, transferId: string): Promise<boolean> {
  return exists(
    db.selectFrom('travel_rule_records').select('transfer_id').where('transfer_id', '=', transferId),
  )
}

const findRow = async (db: Db<Tables>, transferId: string) =>
  isUuid(transferId)
    ? db
        .selectFrom('travel_rule_records')
        .selectAll()
        .where('transfer_id', '=', transferId)
        .executeTakeFirst()
    : undefined

/** Null: none is kept. */
export async function findRecord(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  transferId: string,
): Promise<TravelRuleRecord | null> {
  const row = await findRow(database.db, transferId)
  if (!row) return null
  const document = JSON.parse(sealer.open(row.sealed, contextOf(transferId))) as Ivms101
  return { transactionId: transferId, recordedAt: row.at.toISOString(), document, facts: row.facts }
}

/** The document as a customer of one side gets it: another customer of the anchor is not named to them. */
export function withoutOthers(record: TravelRuleRecord | null, customerId: string): Ivms101 | null {
  if (!record) return null
  const { originator, beneficiary, ...rest } = record.document
  const own = ({ naturalPerson, legalPerson }: Person): boolean => {
    const number = (naturalPerson ?? legalPerson)?.customerIdentification
    return number === undefined || number === customerId
  }
  const shown = (person: Person): Person =>
    own(person) ? person : { ...unknownPerson, ...given(person.accountNumber) }
  const isDirect = record.facts?.some(({ by }) => by === 'sending-anchor') ?? true
  return {
    originator,
    beneficiary: isDirect ? beneficiary : { beneficiaryPerson: beneficiary.beneficiaryPerson.map(shown) },
    ...rest,
  }
}

const given = (accountNumber: string[] | undefined) => (accountNumber ? { accountNumber } : {})

/** Removes those of before, except while someone looks into their transaction. @returns how many. */
export async function removeRecordsBefore(
  tx: Db<Tables>,
  { before, limit, isHeld }: { before: Date; limit: number; isHeld: IsHeld },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from travel_rule_records where transfer_id in (
      select r.transfer_id from travel_rule_records r
      where r.at < ${before} and not ${isHeld(sql`r.transfer_id`)}
      order by r.at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}

/** @throws {Problem} `travel-rule-record-not-found` */
export async function getRecord(deps: Deps, transferId: string): Promise<TravelRuleRecord> {
  const record = await findRecord(deps, transferId)
  if (record) return record
  throw new Problem(
    'travel-rule-record-not-found',
    'No sides are kept with this transaction: it is below the threshold, or its money has not moved yet.',
  )
}

/** Notes from which bank account a deposit was paid, where its document does not say so yet. */
export async function addPayerAccount(
  deps: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  transferId: string,
  account: string,
): Promise<void> {
  await noteAccount(deps, tx, transferId, { account, known: { known: 'proven', by: 'bank' }, again: false })
}

/** Notes from which account on the ledger a withdrawal was paid. */
export async function addSenderAccount(
  deps: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  transferId: string,
  account: string,
  by: 'wallet-login' | 'wallet-proof' | null,
): Promise<void> {
  const known = by === null ? 'unknown' : 'proven'
  await noteAccount(deps, tx, transferId, { account, known: { known, by }, again: true })
}

async function noteAccount(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  transferId: string,
  { account, known, again }: { account: string; known: Omit<TravelRuleFact, 'fact'>; again: boolean },
): Promise<void> {
  const row = await tx
    .selectFrom('travel_rule_records')
    .select(['sealed', 'facts'])
    .where('transfer_id', '=', transferId)
    .forUpdate()
    .executeTakeFirst()
  if (!row || !/^[ -~]{1,512}$/.test(account)) return
  const document = JSON.parse(sealer.open(row.sealed, contextOf(transferId))) as Ivms101
  const [person] = document.originator.originatorPerson
  if (!person || (person.accountNumber && !again)) return
  person.accountNumber = [account]
  const sealed = sealer.seal(JSON.stringify(document), contextOf(transferId))
  const facts = row.facts?.map(each => (each.fact === 'originator-account' ? { ...each, ...known } : each))
  await tx
    .updateTable('travel_rule_records')
    .set({ sealed, facts: facts ? JSON.stringify(facts) : null })
    .where('transfer_id', '=', transferId)
    .execute()
}
