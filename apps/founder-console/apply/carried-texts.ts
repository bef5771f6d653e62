import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const carried = catalogue({
  title: text(
    (code: string) => `Settings of an anchor: ${code}`,
    code => `Ajustes de un anchor: ${code}`,
  ),
  detail: text(
    'This link carries the rails, fees, limits and countries of an anchor at the other installation. Used here, they replace what this form says about them. Accounts of banks and issuers are not carried: enter those of this network.',
    'Este enlace trae los medios de pago, las comisiones, los límites y los países de un anchor de la otra instalación. Si los usa, sustituyen lo que este formulario dice de ellos. Las cuentas bancarias y los emisores no se traen: introduzca los de esta red.',
  ),
  use: text('Use these settings', 'Usar estos ajustes'),
  drop: text('Apply without them', 'Solicitar sin ellos'),
  none: text('This link carries no settings.', 'Este enlace no trae ajustes.'),
})
