import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const further = catalogue({
  title: text('Further assets', 'Otros activos'),
  lead: text(
    'Existing assets that your anchor serves beside the first one, such as USDC. At most four.',
    'Activos existentes que su anchor ofrece además del primero, como USDC. Cuatro como máximo.',
  ),
  issuer: text('The account (G…) that issues it.', 'La cuenta (G…) que lo emite.'),
  remove: text(
    (position: number) => `Remove asset ${position}`,
    position => `Quitar el activo ${position}`,
  ),
})
