import crypto from 'node:crypto';

/** Path of the link of an invitation. */
export const INVITATION_PATH = '/-/invites';

/** Tokens have 43 characters: these begin with what mailed ones begin with by an accident of one in 2^48, which costs a confirmation. */
const HANDED_OVER = 'by-hand-';

/** A token for a link that is mailed: whoever follows the link reads the mail of the address. */
export function mailedToken(): string {
  return crypto.randomBytes(32).toString('base64url');
}

/** A token for a link that whoever invites hands over: it proves nothing of the address. */
export function handedOverToken(): string {
  return HANDED_OVER + mailedToken().slice(HANDED_OVER.length);
}

/** Whether the holder of a token reads the mail of the address, which needs no other confirmation then. */
export function provesAddress(token: string): boolean {
  return !token.startsWith(HANDED_OVER);
}

/** The link of an invitation. */
export function invitationLink(baseUrl: string, token: string): string {
  return `${baseUrl}${INVITATION_PATH}?token=${token}`;
}
