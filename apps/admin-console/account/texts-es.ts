import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const account: Translation<typeof english.account> = {
  title: 'Cuenta',
  signedInAs: (name, role) => `Sesión iniciada como ${name} · ${role}`,
  reset: {
    title: 'Restablecer los segundos factores de un operador',
    lead: 'Para un operador que perdió su segundo factor y todos sus códigos de recuperación. Asegúrese de que es esa persona, por ejemplo llamando a un número que conozca. Se quitan sus segundos factores y se cierran sus sesiones.',
    email: { label: 'Correo electrónico del operador', missing: 'Escriba el correo electrónico' },
    reason: { label: 'Motivo', hint: 'Queda en el registro de auditoría.', missing: 'Escriba un motivo' },
    send: 'Restablecer los segundos factores',
    done: email => `Se quitaron los segundos factores de ${email}.`,
    unknown: 'Ningún operador con esta dirección tiene un segundo factor',
  },
  confirm: {
    password: {
      label: 'Contraseña',
      missing: 'Escriba su contraseña',
      wrong: 'La contraseña es incorrecta',
    },
    send: 'Continuar',
  },
}
