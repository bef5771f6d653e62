import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const account: Translation<typeof english.account> = {
  title: 'Cuenta',
  signedInAs: email => `Sesión iniciada como ${email}`,
  confirm: {
    send: 'Enviar el código',
    sent: email => `Enviamos un código a ${email}.`,
    proof: {
      label: 'Código o contraseña',
      hint: 'El código del correo o la contraseña que eligió con su invitación.',
      missing: 'Escriba el código o su contraseña',
      wrong: 'El código o la contraseña son incorrectos. Pida un código nuevo y reintente.',
    },
    confirm: 'Continuar',
    failed: 'Su identidad no se confirmó',
  },
}
