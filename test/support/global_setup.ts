import type { TestProject } from 'vitest/node';
import { startTestServer } from './test_server.ts';

/** One PostgreSQL for the whole run; the workers copy its template database with `freshDatabase`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, template, stop } = await startTestServer();
  project.provide('testServer', { url, template });
  return stop;
}
