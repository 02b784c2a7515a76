/** Whole seconds from one time to another; a record that is read as JSON has its times as texts. */
export function secondsBetween(from: Date | string, to: Date | string): number {
  return Math.max(0, Math.round((new Date(to).getTime() - new Date(from).getTime()) / 1_000));
}
