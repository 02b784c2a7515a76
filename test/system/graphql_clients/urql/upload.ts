import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { UploadFile } from '../documents.ts';
import { endpoint, headers, newProject } from '../server.ts';

const client = new Client({ url: endpoint, fetchOptions: { headers }, exchanges: [fetchExchange] });
const project = await newProject(0);

const file = new File(['Written by hand. ✓'], 'notes.txt', { type: 'text/plain' });
const { data, error } = await client.mutation(UploadFile, { project, file });
assert.equal(error, undefined);
const upload = data?.uploadFile?.upload;
assert.equal(upload?.alt, 'notes.txt');

const response = await fetch(new URL(`/${project}${upload.url}`, endpoint), { headers });
assert.equal(await response.text(), 'Written by hand. ✓');
console.log('walked');
