import { byLanguage } from '@windlass/ui/catalogue.ts'

/** Who may do an act of a part of the business, for texts: as the table of access has it (packages/contracts/access.ts). */
export const decider = byLanguage(
  {
    finance: 'person who may do it (owner, admin or finance)',
    compliance: 'person who may do it (owner, admin or compliance)',
  },
  {
    finance: 'persona que puede hacerlo (propietario, administrador o finanzas)',
    compliance: 'persona que puede hacerlo (propietario, administrador o cumplimiento)',
  },
)
