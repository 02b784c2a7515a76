import { graphql } from './generated/gql.ts';

/** What Apollo and urql ask alike. */
export const IssueList = graphql(`
  query IssueList($project: ProjectRef!) {
    project(ref: $project) {
      id
      issues(first: 10, sort: ASC) {
        nodes { id iid title state }
      }
    }
  }
`);
export const CloseIssue = graphql(`
  mutation CloseIssue($input: UpdateIssueInput!) {
    updateIssue(input: $input) {
      issue { id title state }
    }
  }
`);
export const DeleteIssue = graphql(`
  mutation DeleteIssue($input: DeleteIssueInput!) {
    deleteIssue(input: $input) { deletedIssueId }
  }
`);
export const IssueChanged = graphql(`
  subscription IssueChanged($project: ProjectRef!, $after: String) {
    issueChanged(in: { project: $project }, after: $after) { id title }
  }
`);
export const IssuePages = graphql(`
  query IssuePages($project: ProjectRef!, $first: Int, $after: String, $last: Int, $before: String) {
    project(ref: $project) {
      id
      issues(first: $first, after: $after, last: $last, before: $before, sort: ASC) {
        edges { cursor node { id title } }
        pageInfo { startCursor endCursor hasPreviousPage hasNextPage }
      }
    }
  }
`);
export const HereAndGone = graphql(`
  query HereAndGone($here: ProjectRef!, $gone: ProjectRef!) {
    here: project(ref: $here) {
      id
      fullPath
      first: issue(iid: 1) { id title }
      missing: issue(iid: 99) { id title }
    }
    gone: project(ref: $gone) { id fullPath }
  }
`);
export const ProjectPath = graphql(`
  query ProjectPath($project: ProjectRef!) {
    project(ref: $project) { id fullPath }
  }
`);
export const UploadFile = graphql(`
  mutation UploadFile($project: ProjectRef!, $file: Upload!) {
    uploadFile(input: { project: $project, file: $file }) {
      upload { alt url markdown }
    }
  }
`);
