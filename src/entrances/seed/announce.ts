import { PEOPLE } from '#src/entrances/seed/content/people.ts';
import { KNOWN_SECRETS } from '#src/entrances/seed/secrets.ts';

/** What is said of the sample data when the server starts, line by line. */
export function announceSample({ exposed }: { exposed: boolean }): string[] {
  const lines = [
    `Sample data: ${PEOPLE.map(({ username }) => username).join(', ')}, each with the password`,
    `${KNOWN_SECRETS.password('ada')} and a private token as ${KNOWN_SECRETS.privateToken('ada')} (docs/testing-clients.md).`,
  ];
  return exposed ? [...lines, 'Whoever reaches this server knows them.'] : lines;
}

/** The known private tokens of its people by their names, without the administrator's. */
export function sampleTokens(): Record<string, string> {
  return Object.fromEntries(PEOPLE.map(({ username }) => [username, KNOWN_SECRETS.privateToken(username)]));
}
