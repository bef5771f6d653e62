import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './check-texts.ts'

export const check: Translation<typeof english.check> = {
  send: 'Enviar la solicitud',
  change: 'Cambiar',
  changeWhat: what => `Cambiar: ${what}`,
  notGiven: 'No indicado',
  credentialsKept: 'Indicadas. Están en el almacén de secretos y no se vuelven a mostrar.',
  declaration:
    'Al enviar la solicitud confirma que puede presentarla en nombre de esta empresa y que sus respuestas son ciertas.',
  submitFailed: 'La solicitud no se envió',
}
