import { catalogue, text } from './catalogue.ts'

/** Words of the strength of a password. */
export const strengthTexts = catalogue({
  strength: [
    text('Too short', 'Demasiado corta'),
    text('Weak', 'Débil'),
    text('Fair', 'Aceptable'),
    text('Good', 'Buena'),
    text('Strong', 'Fuerte'),
  ],
  passwordStrength: text('Password strength', 'Seguridad de la contraseña'),
})
