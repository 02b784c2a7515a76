// The documents of the inbox, which relay-compiler reads: __generated__ has what main.js loads of them. Bundlers do that with babel-plugin-relay.
import { graphql } from 'relay-runtime';

export const query = graphql`
  query InboxQuery {
    todos(first: 50) {
      totalCount
      nodes {
        id
        state
        body
        targetUrl
        issue {
          id
          title
        }
        mergeRequest {
          id
          title
        }
      }
    }
  }
`;

export const subscription = graphql`
  subscription InboxSubscription {
    todoChanged {
      id
      state
    }
  }
`;
