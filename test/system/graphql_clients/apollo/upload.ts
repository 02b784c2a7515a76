import assert from 'node:assert/strict';
import { ApolloClient, InMemoryCache } from '@apollo/client';
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs';
import { UploadFile } from '../documents.ts';
import { endpoint, headers, newProject } from '../server.ts';

const client = new ApolloClient({ cache: new InMemoryCache(), link: new UploadHttpLink({ uri: endpoint, headers }) });
const project = await newProject(0);

const file = new File(['Written by hand. ✓'], 'notes.txt', { type: 'text/plain' });
const { data } = await client.mutate({ mutation: UploadFile, variables: { project, file } });
const upload = data?.uploadFile?.upload;
assert.equal(upload?.alt, 'notes.txt');

const response = await fetch(new URL(`/${project}${upload.url}`, endpoint), { headers });
assert.equal(await response.text(), 'Written by hand. ✓');
console.log('walked');
