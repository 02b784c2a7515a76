import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import type { Json } from './http.ts';
import type { World } from './world.ts';

/** The protocol's own client, as the bearer of a token. It closes at the end of the test. */
export async function agent(world: World, token: string): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1.0.0' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

/** What a call of a tool answers: its value, or the text of what went wrong. */
export interface Called {
  value: Json;
  /** The text of each part. */
  texts: string[];
  isError: boolean;
}

/** Calls a tool. */
export async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: given });
  const texts = (content as { text: string }[]).map(({ text }) => text);
  return { value: structuredContent, texts, isError: isError === true };
}

/** Sends messages as they are. */
export function post(world: World, body: unknown, headers: Record<string, string> = {}) {
  return world.send('POST', '/mcp', {
    headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json', ...headers },
    body,
  });
}
