import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './sign-in-texts.ts'

export const signIn: Translation<typeof english.signIn> = {
  lead: 'Enviamos un código a su correo electrónico. No necesita contraseña.',
  emailHint: 'La dirección que recibió su invitación.',
  emailWrong: 'Escriba un correo electrónico como nombre@empresa.example',
  sentLead: email =>
    `Si ${email} tiene una cuenta, le enviamos un código de seis dígitos. Es válido durante cinco minutos.`,
}
