import { catalogue } from '@windlass/ui/catalogue.ts'

export const further = catalogue('further', {
  title: 'Further assets',
  lead: 'Existing assets that your anchor serves beside the first one, such as USDC. At most four.',
  issuer: 'The account (G…) that issues it.',
})
