import { requireDocumented } from './documented.ts';
import type { Json } from './http.ts';
import type { TestUser, World } from './world.ts';

interface Received {
  status: number;
  body: Json;
}

/** Sends a form with a file, as somebody. Throws where the answer is not as the OpenAPI document has it. */
export async function sendForm(
  world: World,
  path: string,
  form: FormData,
  who: TestUser | undefined,
  method = 'POST',
): Promise<Received> {
  // /graphql wants the size told before: the form is made as a whole.
  const whole = new Response(form);
  const headers: Record<string, string> = { 'Content-Type': whole.headers.get('content-type') ?? '' };
  if (who) headers['PRIVATE-TOKEN'] = who.token;
  const response = await fetch(world.url + path, { method, headers, body: await whole.arrayBuffer() });
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: (await response.json()) as Json,
  };
  requireDocumented(method, path, answer);
  return { status: answer.status, body: answer.body };
}

/** A GraphQL request with one variable that is a file, at this path below `variables`. */
export function graphqlForm(query: string, variables: object, path: string, file: File): FormData {
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables }));
  form.append('map', JSON.stringify({ 0: [`variables.${path}`] }));
  form.append('0', file);
  return form;
}
