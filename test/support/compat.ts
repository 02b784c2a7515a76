import type { Answer } from './http.ts';
import type { TestUser, World } from './world.ts';

/** Sends a document as clients of today do: JSON, with a bearer token. */
export function compatOf(world: World) {
  return (query: string, variables: object = {}, user?: TestUser | null): Promise<Answer> => {
    const headers: Record<string, string> = user ? { Authorization: `Bearer ${user.token}` } : {};
    return world.send('POST', '/api/graphql', { body: { query, variables }, headers });
  };
}
