import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { openContext } from './chromium.ts';
import type { Json } from './http.ts';
import { printed, type ServerProcess } from './server_process.ts';

/** What the REST API of a server answers to its administrator; null without a body. Fails unless the request succeeds. */
export async function answerToAdministrator(
  server: ServerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<Json> {
  const token = printed(server.output(), 'Private token') ?? '';
  const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${server.url}/api/v4${path}`, sent);
  expect([path, response.ok]).toEqual([path, true]);
  return response.status === 204 ? null : response.json();
}

/** A window of a browser in which the administrator of a server is signed in. */
export async function openAsAdministrator(
  browser: Browser,
  server: ServerProcess,
  options: Parameters<typeof openContext>[2] = {},
): ReturnType<typeof openContext> {
  const opened = await openContext(browser, server.url, options);
  await opened.page.goto('/users/sign_in');
  await opened.page.getByLabel('Username or email').fill('root');
  await opened.page.getByLabel('Password').fill(printed(server.output(), 'Password') ?? '');
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await opened.page.waitForURL('**/');
  return opened;
}
