import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const shell = catalogue({
  product: text('Windlass', 'Windlass'),
  account: text('Identity', 'Identidad'),
  transactions: text('Transactions', 'Transacciones'),
  wallets: text('Wallets', 'Billeteras'),
  signOut: text('Sign out', 'Cerrar sesión'),
  footer: text(
    'One identity check for every Windlass anchor.',
    'Una sola verificación de identidad para todos los anchors de Windlass.',
  ),
})

export const home = catalogue({
  title: text('One identity check for every anchor', 'Una verificación de identidad para todos los anchors'),
  lead: text(
    'Verify your identity once. Every anchor on Windlass accepts it, so your next deposit or withdrawal starts immediately.',
    'Verifique su identidad una vez. Todos los anchors de Windlass la aceptan, así que su próximo depósito o retiro empieza de inmediato.',
  ),
  start: text('Sign in', 'Iniciar sesión'),
  points: [
    {
      title: text('Verify once', 'Verifique una vez'),
      detail: text(
        'An identity provider checks your document. It takes a few minutes.',
        'Un proveedor de identidad revisa su documento. Tarda unos minutos.',
      ),
    },
    {
      title: text('Link your wallets', 'Vincule sus billeteras'),
      detail: text(
        'Prove that a Stellar account is yours, and anchors recognize it.',
        'Demuestre que una cuenta de Stellar es suya y los anchors la reconocerán.',
      ),
    },
    {
      title: text('Check your status', 'Consulte el estado'),
      detail: text(
        'See the status of your check and your wallets here at any time.',
        'Vea aquí en cualquier momento el estado de su verificación y sus billeteras.',
      ),
    },
  ],
})

export const signIn = catalogue({
  lead: text(
    'We send a code to your email address. New customers get an account.',
    'Enviamos un código a su correo electrónico. Los clientes nuevos reciben una cuenta.',
  ),
  emailHint: text(
    'The address you use with your wallet’s anchors.',
    'La dirección que usa con los anchors de su billetera.',
  ),
  emailWrong: text(
    'Enter an email address such as name@mail.example',
    'Escriba un correo electrónico como nombre@correo.example',
  ),
  sentLead: text(
    (email: string) => `We sent a six-digit code to ${email}. It is valid for five minutes.`,
    email => `Enviamos un código de seis dígitos a ${email}. Es válido durante cinco minutos.`,
  ),
})
