import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const shell: Translation<typeof english.shell> = {
  product: 'Windlass',
  account: 'Identidad',
  transactions: 'Transacciones',
  wallets: 'Billeteras',
  signOut: 'Cerrar sesión',
  footer: 'Una sola verificación de identidad para todos los anchors de Windlass.',
}

export const home: Translation<typeof english.home> = {
  title: 'Una verificación de identidad para todos los anchors',
  lead: 'Verifique su identidad una vez. Todos los anchors de Windlass la aceptan, así que su próximo depósito o retiro empieza de inmediato.',
  start: 'Iniciar sesión',
  points: [
    {
      title: 'Verifique una vez',
      detail: 'Un proveedor de identidad revisa su documento. Tarda unos minutos.',
    },
    {
      title: 'Vincule sus billeteras',
      detail: 'Demuestre que una cuenta de Stellar es suya y los anchors la reconocerán.',
    },
    {
      title: 'Consulte el estado',
      detail: 'Vea aquí en cualquier momento el estado de su verificación y sus billeteras.',
    },
  ],
}

export const signIn: Translation<typeof english.signIn> = {
  lead: 'Enviamos un código a su correo electrónico. Los clientes nuevos reciben una cuenta.',
  emailHint: 'La dirección que usa con los anchors de su billetera.',
  emailWrong: 'Escriba un correo electrónico como nombre@correo.example',
  sentLead: email => `Enviamos un código de seis dígitos a ${email}. Es válido durante cinco minutos.`,
}
