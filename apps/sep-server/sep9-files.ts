const FILES: ReadonlySet<string> = new Set([
  'photo_id_front',
  'photo_id_back',
  'notary_approval_of_photo_id',
  'photo_proof_residence',
  'proof_of_income',
  'proof_of_liveness',
  'organization.photo_incorporation_doc',
  'organization.photo_proof_address',
])

/** Whether SEP-9 knows the field as a file. */
export const isSep9File = (name: string): boolean => FILES.has(name)
