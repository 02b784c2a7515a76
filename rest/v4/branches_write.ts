import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_repository';
const slashes = ['branch'];

export const branchesWrite: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/repository/branches',
    operation: operations.CreateBranchDocument,
    names: { name: 'branch' },
    result: 'createBranch.branch',
    precheck,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/repository/branches/:branch',
    operation: operations.DeleteBranchDocument,
    names: { name: 'branch' },
    result: 'deleteBranch',
    precheck,
    slashes,
    failure: { BAD_REQUEST: 405 },
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/branches/:branch/protect',
    operation: operations.ProtectBranchDocument,
    names: { name: 'branch' },
    result: 'protectBranch.branch',
    precheck,
    slashes,
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/branches/:branch/unprotect',
    operation: operations.UnprotectBranchDocument,
    names: { name: 'branch' },
    result: 'unprotectBranch.branch',
    precheck,
    slashes,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/repository/merged_branches',
    operation: operations.DeleteMergedBranchesDocument,
    result: 'deleteMergedBranches',
    precheck,
    status: 202,
    body: { message: '202 Accepted' },
  },
];
