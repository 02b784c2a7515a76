import assert from 'node:assert/strict';
import { fetchQuery, graphql } from 'relay-runtime';
import { newProject } from '../server.ts';
import type { partialErrorsQuery } from './__generated__/partialErrorsQuery.graphql.ts';
import { environment } from './environment.ts';

const query = graphql`
  query partialErrorsQuery($here: ProjectRef!, $gone: ProjectRef!) {
    here: project(ref: $here) {
      fullPath
      first: issue(iid: 1) { title }
      missing: issue(iid: 99) @catch(to: RESULT) { title }
    }
    gone: project(ref: $gone) @catch(to: NULL) { fullPath }
  }
`;

const here = await newProject(1);
const data = await fetchQuery<partialErrorsQuery>(environment, query, { here, gone: 'root/never-was' }).toPromise();
assert.equal(data?.here?.fullPath, here);
assert.equal(data.here.first?.title, 'Issue 1');
assert.equal(data.gone, null);
assert.equal(data.here.missing?.ok, false);
assert.deepEqual(data.here.missing.errors, [{ extensions: { code: 'NOT_FOUND', resource: 'Issue' } }]);
console.log('walked');
