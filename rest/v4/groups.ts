import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const groups: Route[] = [
  {
    method: 'POST',
    path: '/groups',
    operation: operations.CreateGroupDocument,
    result: 'createGroup.group',
    validationPrefix: 'Failed to save group',
  },
];
