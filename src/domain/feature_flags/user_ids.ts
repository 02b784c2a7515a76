/** Characters of one ID, and of all of a list or strategy. */
const MAX_ID_LENGTH = 256;
const MAX_IDS_LENGTH = 65_536;

/** What is wrong with IDs that users have in an application, separated by commas; null if nothing is. */
export function wrongUserIds(value: unknown): string | null {
  if (typeof value === 'string' && value.length > MAX_IDS_LENGTH) {
    return `is too long (maximum is ${MAX_IDS_LENGTH} characters)`;
  }
  const isFine = typeof value === 'string' && isText(value) && (value === '' || areIds(value.split(',')));
  return isFine ? null : `must be a string of unique comma separated values each ${MAX_ID_LENGTH} characters or less`;
}

function isText(value: string): boolean {
  return value.isWellFormed() && !/[\0\n\r\t]/.test(value);
}

function areIds(ids: readonly string[]): boolean {
  return (
    new Set(ids).size === ids.length && ids.every((id) => id !== '' && id.trim() === id && id.length <= MAX_ID_LENGTH)
  );
}
