import type { Member } from '@windlass/contracts/platform/members.ts'
import { declareEmail, oneLine } from '../mail/email.ts'

interface Welcome {
  organization: string
  inviter: string
  role: Member['role']
  consoleUrl: string
}

const sample = {
  organization: 'Sample Payments Ltd',
  inviter: 'Sample Owner',
  consoleUrl: 'https://windlass.example',
}

/** For a new member: the organization, and where to sign in. */
export const welcomeEmail = declareEmail<Welcome>({
  name: 'member-added',
  recipients: ['operator'],
  sample: { ...sample, role: 'admin' },
  texts: {
    en: ({ organization, inviter, role, consoleUrl }) => ({
      subject: `You were added to ${oneLine(organization)} on Windlass`,
      paragraphs: [
        'Hello,',
        `${oneLine(inviter)} made you ${englishRoles[role]} of ${oneLine(organization)}. Sign in with this email address: you get a code by email and need no password.`,
      ],
      link: { label: 'Sign in', url: `${consoleUrl}/workspaces` },
      footnote: 'If you do not know them, ignore this email.',
    }),
    es: ({ organization, inviter, role, consoleUrl }) => ({
      subject: `Ahora forma parte de ${oneLine(organization)} en Windlass`,
      paragraphs: [
        'Hola:',
        `${oneLine(inviter)} le dio acceso como ${spanishRoles[role]} de ${oneLine(organization)}. Inicie sesión con esta dirección: recibe un código por correo y no necesita contraseña.`,
      ],
      link: { label: 'Iniciar sesión', url: `${consoleUrl}/workspaces` },
      footnote: 'Si no conoce a quien le dio acceso, ignore este correo.',
    }),
  },
})

interface NewManager {
  organization: string
  inviter: string
  member: Pick<Member, 'email' | 'role'>
  consoleUrl: string
}

/** For the owners of the organization. */
export const managerEmail = declareEmail<NewManager>({
  name: 'manager-added',
  recipients: ['operator'],
  sample: { ...sample, member: { email: 'person@sample.example', role: 'admin' } },
  texts: {
    en: ({ organization, inviter, member, consoleUrl }) => ({
      subject: `${member.email} is ${englishRoles[member.role]} of ${oneLine(organization)} now`,
      paragraphs: [
        'Hello,',
        `${oneLine(inviter)} made ${member.email} ${englishRoles[member.role]} of ${oneLine(organization)}. In a day they can do what this role allows, with one other person where two are needed, such as payout files.`,
      ],
      link: { label: 'See the team', url: `${consoleUrl}/workspaces` },
      footnote:
        'If you did not expect this, remove them from the team and end the sessions of the person who added them.',
    }),
    es: ({ organization, inviter, member, consoleUrl }) => ({
      subject: `${member.email} es ahora ${spanishRoles[member.role]} de ${oneLine(organization)}`,
      paragraphs: [
        'Hola:',
        `${oneLine(inviter)} nombró a ${member.email} ${spanishRoles[member.role]} de ${oneLine(organization)}. Dentro de un día podrá hacer lo que este rol permite, junto con otra persona donde hagan falta dos, como los archivos de pago.`,
      ],
      link: { label: 'Ver el equipo', url: `${consoleUrl}/workspaces` },
      footnote:
        'Si no lo esperaba, quite a esta persona del equipo y cierre las sesiones de quien la añadió.',
    }),
  },
})

interface RoleLost {
  organization: string
  by: string
  /** Names of their API keys, which ended. */
  keys: readonly string[]
  member: Pick<Member, 'email' | 'role'>
  consoleUrl: string
}

/** For the person and the owners of the organization. */
export const roleLostEmail = declareEmail<RoleLost>({
  name: 'manager-removed',
  recipients: ['operator'],
  sample: {
    ...{ ...sample, by: sample.inviter, keys: ['Bookkeeping'] },
    member: { email: 'person@sample.example', role: 'admin' },
  },
  texts: {
    en: ({ organization, by, member, keys, consoleUrl }) => ({
      subject: `${member.email} is no longer ${englishRoles[member.role]} of ${oneLine(organization)}`,
      paragraphs: [
        'Hello,',
        `${oneLine(by)} took this role away. For a week, people who get a role after this cannot approve what needs two people.`,
        ...(keys.length > 0
          ? [
              `API keys that they had created no longer work: ${listed(keys)}. Where a program of yours uses one, create another for it.`,
            ]
          : []),
      ],
      link: { label: 'See the team', url: `${consoleUrl}/workspaces` },
      footnote: `If you did not expect this, tell the other owners of ${oneLine(organization)} and the administrators of Windlass now.`,
    }),
    es: ({ organization, by, member, keys, consoleUrl }) => ({
      subject: `${member.email} ya no es ${spanishRoles[member.role]} de ${oneLine(organization)}`,
      paragraphs: [
        'Hola:',
        `${oneLine(by)} le quitó este rol. Durante una semana, quien reciba un rol después no puede aprobar lo que necesita dos personas.`,
        ...(keys.length > 0
          ? [
              `Las claves de API que había creado ya no funcionan: ${listed(keys)}. Si un programa suyo usa una, cree otra para él.`,
            ]
          : []),
      ],
      link: { label: 'Ver el equipo', url: `${consoleUrl}/workspaces` },
      footnote: `Si no lo esperaba, avise ahora a los demás propietarios de ${oneLine(organization)} y a los administradores de Windlass.`,
    }),
  },
})

/** The first ten: an organization may have hundreds. */
const listed = (keys: readonly string[]): string =>
  [...keys.slice(0, 10).map(oneLine), ...(keys.length > 10 ? ['…'] : [])].join(', ')

const englishRoles = {
  ...{ owner: 'an owner', admin: 'an admin', member: 'a member', compliance: 'a compliance officer' },
  ...{ finance: 'a member for finance', support: 'a member for support', auditor: 'an auditor' },
} satisfies Record<Member['role'], string>
const spanishRoles = {
  owner: 'propietario',
  admin: 'administrador',
  member: 'miembro',
  compliance: 'responsable de cumplimiento',
  finance: 'miembro de finanzas',
  support: 'miembro de soporte',
  auditor: 'auditor',
} satisfies Record<Member['role'], string>
