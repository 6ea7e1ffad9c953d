"""Clients of the retired service need a new address only."""

import pytest
from serving import serving, wait_for

PREFIX = "/personalizer/v1.0"
ACTIONS = [
    {"id": "pasta", "features": [{"taste": "salty", "spice": "medium"}, {"nutrition": {"level": 5}}]},
    {"id": "salad", "features": [{"taste": "salty", "spice": "low"}]},
]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    changes = {"features": {}, "hashed_features": 32, "arms": [], "new_arms": True, "control": 0.0}
    with serving(tmp_path_factory.mktemp("shop"), **changes) as service:
        yield service


def test_the_contract(service):
    body = {
        "actions": ACTIONS,
        "contextFeatures": [{"time": "morning"}, {"device": {"kind": "phone", "width": 400}}],
        "excludedActions": [],
        "eventId": "event one",
        "deferActivation": False,
    }
    status, answer = service.call("POST", f"{PREFIX}/rank", body)
    assert status == 201
    assert answer["eventId"] == "event one"
    assert answer["rewardActionId"] in ("pasta", "salad")
    assert sum(action["probability"] for action in answer["ranking"]) == pytest.approx(1.0)
    assert service.call("POST", f"{PREFIX}/events/event%20one/reward", {"value": 1.0}) == (204, b"")
    wait_for(lambda: service.event("event%20one")["outcome"] == 1.0)
    body = {**body, "eventId": "two", "deferActivation": True, "excludedActions": ["pasta"]}
    assert service.call("POST", f"{PREFIX}/rank", body)[1]["rewardActionId"] == "salad"
    assert service.call("POST", f"{PREFIX}/events/two/activate") == (204, b"")
    configuration = service.call("GET", f"{PREFIX}/configurations/service")[1]
    assert configuration["rewardWaitTime"] == "PT3600S"


def test_bad_requests(service):
    status, answer = service.call("POST", f"{PREFIX}/rank", {"actions": []})
    assert (status, answer["error"]["field"]) == (422, "actions")
    twice = {"actions": ACTIONS, "contextFeatures": [{"a": 1}, {"a": 2}]}
    assert "twice" in service.call("POST", f"{PREFIX}/rank", twice)[1]["error"]["message"]


def test_the_public_client_library(service):
    personalizer = pytest.importorskip("azure.cognitiveservices.personalizer", reason="the client is not installed")
    from azure.cognitiveservices.personalizer.models import RankableAction, RankRequest
    from msrest.authentication import CognitiveServicesCredentials

    client = personalizer.PersonalizerClient(
        f"http://{service.host}:{service.port}", CognitiveServicesCredentials("any key")
    )
    actions = [RankableAction(id=action["id"], features=action["features"]) for action in ACTIONS]
    request = RankRequest(actions=actions, context_features=[{"time": "evening"}], event_id="from the library")
    response = client.rank(rank_request=request)
    assert response.event_id == "from the library"
    assert response.reward_action_id in ("pasta", "salad")
    client.events.reward(event_id=response.event_id, value=0.5)
    wait_for(lambda: service.event("from%20the%20library")["outcome"] == 0.5)
    client.events.activate(event_id=response.event_id)
    client._client.close()
