import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_repository';
const slashes = ['branch'];

export const branchesWrite: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/repository/branches',
    ...mutation('CreateBranch', 'createBranch.branch', '...BranchRecord'),
    names: { name: 'branch' },
    precheck,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/repository/branches/:branch',
    operation: operations.DeleteBranchDocument,
    names: { name: 'branch' },
    result: 'deleteBranch',
    changedAt: 'commit.committed_date',
    precheck,
    slashes,
    failure: { BAD_REQUEST: 405 },
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/branches/:branch/protect',
    ...mutation('ProtectBranch', 'protectBranch.branch', '...BranchRecord'),
    names: { name: 'branch' },
    precheck,
    slashes,
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/branches/:branch/unprotect',
    ...mutation('UnprotectBranch', 'unprotectBranch.branch', '...BranchRecord'),
    names: { name: 'branch' },
    precheck,
    slashes,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/repository/merged_branches',
    ...mutation('DeleteMergedBranches', 'deleteMergedBranches', 'accepted'),
    precheck,
    status: 202,
    body: { message: '202 Accepted' },
  },
];
