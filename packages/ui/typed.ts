/** Whether a form below `root` holds what was typed and not sent; `FormShell` marks it. */
export const hasTyped = (root: ParentNode = document): boolean =>
  root.querySelector('form[data-typed]') !== null
