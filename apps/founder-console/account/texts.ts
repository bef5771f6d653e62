import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const account = catalogue({
  title: text('Account', 'Cuenta'),
  signedInAs: text(
    (email: string) => `Signed in as ${email}`,
    email => `Sesión iniciada como ${email}`,
  ),
  confirm: {
    send: text('Send code', 'Enviar el código'),
    sent: text(
      (email: string) => `We sent a code to ${email}.`,
      email => `Enviamos un código a ${email}.`,
    ),
    proof: {
      label: text('Code or password', 'Código o contraseña'),
      hint: text(
        'The code from the email, or the password you chose with your invitation.',
        'El código del correo o la contraseña que eligió con su invitación.',
      ),
      missing: text('Enter the code or your password', 'Escriba el código o su contraseña'),
      wrong: text(
        'The code or password is wrong. Request a new code and retry.',
        'El código o la contraseña son incorrectos. Pida un código nuevo y reintente.',
      ),
    },
    confirm: text('Continue', 'Continuar'),
    failed: text('Your identity was not confirmed', 'Su identidad no se confirmó'),
  },
})
