import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const account = catalogue({
  title: text('Account', 'Cuenta'),
  signedInAs: text(
    (name: string, role: string) => `Signed in as ${name} · ${role}`,
    (name, role) => `Sesión iniciada como ${name} · ${role}`,
  ),
  reset: {
    title: text('Reset an operator’s second factors', 'Restablecer los segundos factores de un operador'),
    lead: text(
      'For an operator who lost their second factor and every recovery code. Make sure that it is them, for example by a call to a number that you know. Their second factors are removed and their sessions end.',
      'Para un operador que perdió su segundo factor y todos sus códigos de recuperación. Asegúrese de que es esa persona, por ejemplo llamando a un número que conozca. Se quitan sus segundos factores y se cierran sus sesiones.',
    ),
    email: {
      label: text('Email of the operator', 'Correo electrónico del operador'),
      missing: text('Enter the email address', 'Escriba el correo electrónico'),
    },
    reason: {
      label: text('Reason', 'Motivo'),
      hint: text('Recorded in the audit log.', 'Queda en el registro de auditoría.'),
      missing: text('Enter a reason', 'Escriba un motivo'),
    },
    send: text('Reset second factors', 'Restablecer los segundos factores'),
    done: text(
      (email: string) => `The second factors of ${email} were removed.`,
      email => `Se quitaron los segundos factores de ${email}.`,
    ),
    unknown: text(
      'No operator with this address has a second factor',
      'Ningún operador con esta dirección tiene un segundo factor',
    ),
  },
  confirm: {
    password: {
      label: text('Password', 'Contraseña'),
      missing: text('Enter your password', 'Escriba su contraseña'),
      wrong: text('The password is wrong', 'La contraseña es incorrecta'),
    },
    send: text('Continue', 'Continuar'),
    signOn: {
      hint: text(
        'Do you sign in by your provider? A sign-in there counts as confirmation for 15 minutes.',
        '¿Entra por su proveedor? Un inicio de sesión en él vale como confirmación durante 15 minutos.',
      ),
      again: text('Sign in there again', 'Vuelva a entrar en él'),
    },
  },
})
