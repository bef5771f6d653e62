import { Problem } from '@windlass/service/http/problem.ts'
import { findCustomerById, localStatus } from '../../people/customers/customers.ts'
import { listFiles, openFile, type OpenedFile } from '../../people/customers/files.ts'
import { verifiedNameOf } from '../../people/customers/verified-name.ts'
import type { Deps } from '../../deps.ts'

/** A customer with details and the list of files, opened; who looked is logged. Throws `customer-not-found`. */
export async function reviewCustomer(deps: Deps, id: string, keyId: string) {
  const customer = await findCustomerById(deps, id)
  if (!customer) throw new Problem('customer-not-found', 'There is no such customer.')
  deps.logger.info({ customerId: customer.id, keyId }, 'personal details were read')
  const status = await localStatus(deps.database.db, customer.central_id)
  const files = await listFiles(deps, customer.id)
  return {
    id: customer.id,
    account: customer.account,
    memo: customer.memo,
    status: status?.status ?? 'NEEDS_INFO',
    createdAt: customer.created_at.toISOString(),
    fields: { ...customer.fields },
    verifiedName: await verifiedNameOf(deps.database.db, deps.sealer, customer.central_id),
    files: files.map(({ name, media_type, size, created_at }) => ({
      name,
      mediaType: media_type,
      size,
      createdAt: created_at.toISOString(),
    })),
  }
}

/** A file, opened; who looked is logged. Throws `customer-not-found` where there is none. */
export async function reviewFile(deps: Deps, id: string, name: string, keyId: string): Promise<OpenedFile> {
  const file = await openFile(deps, id, name)
  if (!file) throw new Problem('customer-not-found', 'There is no such file of this customer.')
  deps.logger.info({ customerId: id, name, keyId }, 'a personal file was read')
  return file
}
