package example

// Tests of a program that uses Go's client. Run them with: go test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// server has sample data, obeys lines on its standard input and answers with lines of JSON.
type server struct {
	URL    string
	Tokens map[string]string

	command *exec.Cmd
	input   io.WriteCloser
	answers *bufio.Reader
}

var gantry = &server{}

func (s *server) start() error {
	s.command = exec.Command("npx", "gantry", "serve", "--ephemeral", "--seed", "--control")
	s.command.Stderr = os.Stderr
	s.input, _ = s.command.StdinPipe()
	output, _ := s.command.StdoutPipe()
	s.answers = bufio.NewReader(output)
	if err := s.command.Start(); err != nil {
		return err
	}
	line, err := s.answers.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, s)
}

func (s *server) reset(t *testing.T) {
	if _, err := io.WriteString(s.input, "reset\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.answers.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
}

func (s *server) stop() error {
	s.input.Close()
	return s.command.Wait()
}

func TestMain(m *testing.M) {
	if err := gantry.start(); err != nil {
		panic(err)
	}
	status := m.Run()
	if err := gantry.stop(); err != nil {
		panic(err)
	}
	os.Exit(status)
}

func clientOf(t *testing.T, username string) *gitlab.Client {
	t.Cleanup(func() { gantry.reset(t) })
	client, err := gitlab.NewClient(gantry.Tokens[username], gitlab.WithBaseURL(gantry.URL+"/api/v4"))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func stateOf(t *testing.T, client *gitlab.Client) string {
	issue, _, err := client.Issues.GetIssue("orchard/apples", 10)
	if err != nil {
		t.Fatal(err)
	}
	return issue.State
}

func TestAnIssueCanBeClosed(t *testing.T) {
	client := clientOf(t, "ada")
	closing := &gitlab.UpdateIssueOptions{StateEvent: gitlab.Ptr("close")}
	if _, _, err := client.Issues.UpdateIssue("orchard/apples", 10, closing); err != nil {
		t.Fatal(err)
	}
	if state := stateOf(t, client); state != "closed" {
		t.Fatal(state)
	}
}

func TestItIsOpenInTheNextTest(t *testing.T) {
	if state := stateOf(t, clientOf(t, "ada")); state != "opened" {
		t.Fatal(state)
	}
}
