import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const signIn = catalogue({
  lead: text(
    'We send a code to your email address. You need no password.',
    'Enviamos un código a su correo electrónico. No necesita contraseña.',
  ),
  singleSignOn: text('Sign in with single sign-on', 'Entrar con inicio de sesión único'),
  emailHint: text('The address that received your invitation.', 'La dirección que recibió su invitación.'),
  emailWrong: text(
    'Enter an email address such as name@company.example',
    'Escriba un correo electrónico como nombre@empresa.example',
  ),
  sentLead: text(
    (email: string) =>
      `If ${email} has an account, we sent it a six-digit code. It is valid for five minutes.`,
    email =>
      `Si ${email} tiene una cuenta, le enviamos un código de seis dígitos. Es válido durante cinco minutos.`,
  ),
})
