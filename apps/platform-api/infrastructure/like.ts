/** Text for a `like` pattern, in which nothing stands for something else. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
