// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "tuning_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace wavescan_tool {
namespace {

using wavescan::Schedule;
using wavescan::Tuning;

std::vector<Schedule> schedules_in(const std::vector<Observation>& observations) {
  std::vector<Schedule> found;
  for (const Schedule schedule : wavescan::schedules)
    for (const Observation& observation : observations)
      if (std::isfinite(observation.seconds(schedule))) {
        found.push_back(schedule);
        break;
      }
  return found;
}

/// The probabilities that the model shall give: twice the time, a thousandth of the probability.
std::vector<double> goal_of(const Observation& observation,
                            const std::vector<Schedule>& schedules) {
  std::vector<double> goal;
  for (const Schedule schedule : schedules)
    goal.push_back(std::pow(observation.best().seconds / observation.seconds(schedule), 10));
  const double sum = std::accumulate(goal.begin(), goal.end(), 0.0);
  for (double& probability : goal) probability /= sum;
  return goal;
}

struct Sample {
  Tuning::Features features;
  std::vector<double> goal;
};

}  // namespace

const Timing& Observation::best() const {
  return *std::min_element(timings.begin(), timings.end(),
                           [](const Timing& a, const Timing& b) { return a.seconds < b.seconds; });
}

double Observation::seconds(Schedule schedule) const {
  for (const Timing& timing : timings)
    if (timing.schedule == schedule) return timing.seconds;
  return std::numeric_limits<double>::infinity();
}

std::vector<Tuning::Candidate> fit(const std::vector<Observation>& observations) {
  const std::vector<Schedule> schedules = schedules_in(observations);
  std::vector<Sample> samples;
  for (const Observation& observation : observations)
    samples.push_back({Tuning::features_of(observation.shape), goal_of(observation, schedules)});

  std::vector<Tuning::Candidate> model;
  for (const Schedule schedule : schedules) model.push_back({schedule, {}});
  std::vector<Tuning::Features> velocity(model.size(), Tuning::Features{});
  std::vector<double> likelihood(model.size());

  constexpr int steps = 20000;
  constexpr double rate = 0.5, momentum = 0.9;
  constexpr double decay = 1e-4;  // keeps coefficients small where the data do not need them
  for (int step = 0; step < steps; ++step) {
    std::vector<Tuning::Features> gradient(model.size(), Tuning::Features{});
    for (const Sample& sample : samples) {
      const auto& x = sample.features;
      for (std::size_t s = 0; s < model.size(); ++s)
        likelihood[s] = std::inner_product(x.begin(), x.end(), model[s].coefficients.begin(), 0.0);
      const double largest = *std::max_element(likelihood.begin(), likelihood.end());
      double sum = 0;
      for (double& l : likelihood) sum += l = std::exp(l - largest);
      for (std::size_t s = 0; s < model.size(); ++s)
        for (std::size_t f = 0; f < x.size(); ++f)
          gradient[s][f] += (likelihood[s] / sum - sample.goal[s]) * x[f];
    }
    for (std::size_t s = 0; s < model.size(); ++s)
      for (std::size_t f = 0; f < gradient[s].size(); ++f) {
        double& coefficient = model[s].coefficients[f];
        velocity[s][f] =
            momentum * velocity[s][f] -
            rate * (gradient[s][f] / static_cast<double>(samples.size()) + decay * coefficient);
        coefficient += velocity[s][f];
      }
  }
  return model;
}

Quality quality_of(const Tuning& tuning, const std::vector<Observation>& observations) {
  Quality quality;
  for (const Observation& observation : observations) {
    // As when it is used: the likeliest of those that can be run.
    for (const auto& [schedule, probability] : tuning.likelihoods(observation.shape)) {
      const double seconds = observation.seconds(schedule);
      if (!std::isfinite(seconds)) continue;
      const double loss = seconds / observation.best().seconds - 1;
      ++quality.shapes;
      if (schedule == observation.best().schedule) ++quality.fastest;
      quality.mean_loss += loss;
      quality.largest_loss = std::max(quality.largest_loss, loss);
      break;
    }
  }
  if (quality.shapes > 0) quality.mean_loss /= static_cast<double>(quality.shapes);
  return quality;
}

}  // namespace wavescan_tool
