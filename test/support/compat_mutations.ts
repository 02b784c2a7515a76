import { expect } from 'vitest';
import type { Json } from './http.ts';
import type { TestUser, World } from './world.ts';

/** What is said of a record that is not there, and of one that somebody may not change. */
export const NOT_THERE =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

type Who = TestUser | string | undefined;

/** Sends mutations to /api/graphql, and expects what clients read of their answers. */
export function mutator(world: World) {
  const send = async (who: Who, name: string, input: Json, selection = ''): Promise<Json> => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { clientMutationId errors ${selection} } }`;
    const token = typeof who === 'object' ? who.token : who;
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const variables = { input: { clientMutationId: `id of ${name}`, ...input } };
    const { status, body } = await world.send('POST', '/api/graphql', { headers, body: { query, variables } });
    expect(status).toBe(200);
    return body;
  };
  return {
    send,
    /** The payload of a mutation that must be done. */
    async done(who: Who, name: string, input: Json, selection = ''): Promise<Json> {
      const body = await send(who, name, input, selection);
      expect(body.errors).toBeUndefined();
      expect(body.data[name]).toMatchObject({ clientMutationId: `id of ${name}`, errors: [] });
      return body.data[name];
    },
    /** What the payload says of wrong values; its record, if it has one, must be null. */
    async refused(who: Who, name: string, input: Json, record?: string): Promise<string[]> {
      const body = await send(who, name, input, record && `${record} { __typename }`);
      expect(body.errors).toBeUndefined();
      const { errors, clientMutationId, ...others } = body.data[name];
      expect([clientMutationId, others]).toEqual([`id of ${name}`, record ? { [record]: null } : {}]);
      expect(errors.length).toBeGreaterThan(0);
      return errors;
    },
    /** Expects that the record is told of as not there, whether it is missing or forbidden. */
    async missing(who: Who, name: string, input: Json): Promise<void> {
      const body = await send(who, name, input);
      expect(body).toMatchObject({ data: { [name]: null }, errors: [{ message: NOT_THERE, path: [name] }] });
    },
    /** Expects that a global ID of another class is told of, before anything is done. */
    async wrongClass(who: Who, name: string, input: Json, sent: string, wanted: string): Promise<void> {
      const { data, errors } = await send(who, name, input);
      expect(data).toBeUndefined();
      expect(errors.map(({ message }: Json) => message).join()).toContain(
        `"${sent}" does not represent an instance of ${wanted}`,
      );
    },
  };
}
