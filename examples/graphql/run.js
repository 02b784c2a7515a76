#!/usr/bin/env node
/*
 * Sends a document to a server and prints the answer:
 *
 *   GANTRY_URL=http://localhost:8080 TOKEN=… node examples/graphql/run.js examples/graphql/01_….graphql '{"variable": "value"}'
 *
 * Subscriptions print what comes until they are interrupted. Ends with status 1 if there are errors.
 */
import { readFile } from 'node:fs/promises';
import process from 'node:process';

const [file, variables = '{}'] = process.argv.slice(2);
const { GANTRY_URL = 'http://localhost:8080', TOKEN } = process.env;
if (file === undefined) {
  console.error('Usage: run.js FILE [VARIABLES]');
  process.exit(2);
}

const query = await readFile(file, 'utf8');
const subscribes = /^subscription\b/m.test(query);
const response = await fetch(`${GANTRY_URL}/graphql`, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Accept: subscribes ? 'text/event-stream' : 'application/json',
    ...(TOKEN && { Authorization: `Bearer ${TOKEN}` }),
  },
  body: JSON.stringify({ query, variables: JSON.parse(variables) }),
});
if (subscribes) {
  for await (const chunk of response.body) process.stdout.write(chunk);
} else {
  const answer = await response.json();
  console.log(JSON.stringify(answer, null, 2));
  if (answer.errors) process.exitCode = 1;
}
